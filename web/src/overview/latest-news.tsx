import { useApi } from '../api/hooks.ts';
import type { NewsItem } from '../api/types.ts';
import { Card } from '../design/card.tsx';
import { Loaded } from '../design/states.tsx';
import { NewsList } from '../news/news-list.tsx';

export function LatestNews() {
  const news = useApi<{ news: NewsItem[] }>('/v1/news?limit=3', { refreshMs: 60_000 });
  return (
    <Card title="Latest news" isFlush>
      <Loaded query={news}>
        {(data) =>
          data.news.length === 0 ? (
            <p className="muted overview-part">There is no news.</p>
          ) : (
            <NewsList items={data.news} />
          )
        }
      </Loaded>
    </Card>
  );
}
