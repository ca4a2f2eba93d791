import { z } from 'zod';
import { lineOfText, longText, secondsTimestamp } from '../http/schemas.ts';

export const newsItem = z
  .object({
    id: z.uuid(),
    createdAt: secondsTimestamp,
    updatedAt: secondsTimestamp,
    title: z.string(),
    message: z.string(),
  })
  .meta({ id: 'NewsItem' });

export const newsList = z.object({ news: z.array(newsItem) });

const title = lineOfText(100);
const message = longText(20_000);

export const newNewsItem = z.object({ title, message });
export const newsChange = z
  .object({ title: title.optional(), message: message.optional() })
  .refine((change) => change.title !== undefined || change.message !== undefined, 'must have "title" or "message"');
