import { useState } from 'react';
import { api } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { NewsItem } from '../api/types.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Confirm } from '../design/confirm.tsx';
import { FormDialog } from '../design/dialog.tsx';
import { TextArea, TextField } from '../design/field.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { useToast } from '../design/toast.tsx';

const maxTitle = 100;

/** What everybody reads behind the bell. */
export function NewsEditor() {
  const query = useApi<{ news: NewsItem[] }>('/v1/news');
  const [edited, setEdited] = useState<NewsItem | 'new'>();
  const [doomed, setDoomed] = useState<NewsItem>();
  const remove = useChange((id: string) => api.delete(`/v1/news/${id}`), ['/v1/news']);
  return (
    <>
      <Card
        title="News"
        isFlush
        actions={
          <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
            Write news
          </Button>
        }
      >
        <Loaded query={query}>
          {({ news }) =>
            news.length === 0 ? (
              <EmptyState icon="bell" title="There is no news">
                Tell all users of maintenance, changes and incidents; it appears behind the bell on top of the page.
              </EmptyState>
            ) : (
              <Table
                label="News"
                rows={news}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Title and message',
                    cell: (item) => (
                      <>
                        <strong className="wrap-anywhere">{item.title}</strong>
                        <p className="muted small wrap-anywhere two-lines">{item.message}</p>
                      </>
                    ),
                  },
                  { head: 'Published', isNarrow: true, cell: (item) => <Time at={item.createdAt} /> },
                  {
                    head: 'Change',
                    isHeadUnseen: true,
                    isNarrow: true,
                    cell: (item) => (
                      <span className="actions">
                        <IconButton label={`Edit ${item.title}`} icon="edit" onClick={() => setEdited(item)} />
                        <IconButton label={`Delete ${item.title}`} icon="trash" onClick={() => setDoomed(item)} />
                      </span>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {edited && <ItemDialog item={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {doomed && (
        <Confirm
          title={`Delete “${doomed.title}”?`}
          submit="Delete"
          input={doomed.id}
          change={remove}
          onClose={() => setDoomed(undefined)}
        >
          It is gone for everybody, read or unread.
        </Confirm>
      )}
    </>
  );
}

function ItemDialog({ item, onClose }: { item: NewsItem | undefined; onClose: () => void }) {
  const [title, setTitle] = useState(item?.title ?? '');
  const [message, setMessage] = useState(item?.message ?? '');
  const toast = useToast();
  const save = useChange(
    () => (item ? api.patch(`/v1/news/${item.id}`, { title, message }) : api.post('/v1/news', { title, message })),
    ['/v1/news'],
  );
  const submit = (): void =>
    save.mutate(undefined, {
      onSuccess: () => {
        toast.say(item ? 'It is changed for everybody.' : 'It is published.');
        onClose();
      },
    });
  return (
    <FormDialog
      title={item ? 'Edit news' : 'Write news'}
      submit={item ? 'Save' : 'Publish'}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Title"
        value={title}
        onValue={setTitle}
        required
        maxLength={maxTitle}
        hint={`${[...title].length} of ${maxTitle} characters`}
      />
      <TextArea label="Message" value={message} onValue={setMessage} required rows={8} maxLength={20_000} />
    </FormDialog>
  );
}
