import { api } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { NewsItem } from '../api/types.ts';
import { Icon } from '../design/icon.tsx';
import { Popover } from '../design/menu.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { useToast } from '../design/toast.tsx';
import './news.css';
import { NewsList } from './news-list.tsx';

const shown = 100;

/** How much is unread; closing the list marks all of it read. */
export function NewsBell() {
  const unread = useApi<{ news: NewsItem[] }>(`/v1/news?unread=true&limit=${shown}`, { refreshMs: 60_000 });
  const count = unread.data?.news.length ?? 0;
  const toast = useToast();
  const markRead = useChange(() => api.delete('/v1/news'), ['/v1/news']);
  const close = (): void => {
    if (count > 0) markRead.mutate(undefined, { onError: toast.complain });
  };
  const countText = count >= shown ? `${shown} or more` : String(count);
  return (
    <Popover
      label={count === 0 ? 'News, nothing unread' : `News, ${countText} unread`}
      isWide
      onClose={close}
      trigger={
        <>
          <Icon name="bell" />
          {count > 0 && <span className="bell-count numbers">{count > 99 ? '99+' : count}</span>}
        </>
      }
    >
      {() => (
        <section className="bell-panel" aria-label="Unread news">
          <h2>Unread news</h2>
          <Loaded query={unread}>
            {({ news }) =>
              news.length === 0 ? (
                <EmptyState icon="check" title="You have read it all">
                  New items appear here as soon as somebody writes them.
                </EmptyState>
              ) : (
                <NewsList items={news} />
              )
            }
          </Loaded>
          {count > 0 && <p className="bell-foot small muted">Closing this marks all of it read.</p>}
        </section>
      )}
    </Popover>
  );
}
