import type { NewsItem } from '../api/types.ts';
import { Time } from '../design/time.tsx';
import './news.css';

export function NewsList({ items }: { items: readonly NewsItem[] }) {
  return (
    <ul className="news">
      {items.map(({ id, title, message, createdAt }) => (
        <li key={id}>
          <article>
            <h3 className="wrap-anywhere">{title}</h3>
            <p className="small muted">
              <Time at={createdAt} format="relative" />
            </p>
            <p className="news-text wrap-anywhere">{message}</p>
          </article>
        </li>
      ))}
    </ul>
  );
}
