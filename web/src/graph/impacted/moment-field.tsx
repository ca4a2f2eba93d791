import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';

/** A moment in the reader's zone; none is now. */
export function MomentField({ ts, onTs }: { ts: number | undefined; onTs: (ts: number | undefined) => void }) {
  const read = (text: string): void => {
    const ms = text === '' ? Number.NaN : new Date(text).getTime();
    onTs(Number.isNaN(ms) || ms < 0 ? undefined : Math.floor(ms / 1000));
  };
  return (
    <div className="row moment">
      <TextField
        label="As of"
        type="datetime-local"
        step="1"
        value={ts === undefined ? '' : localText(ts)}
        onValue={read}
        title={ts === undefined ? 'Now' : `${new Date(ts * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`}
      />
      <Button variant="ghost" aria-pressed={ts === undefined} onClick={() => onTs(undefined)}>
        Now
      </Button>
    </div>
  );
}

/** 2026-11-15T13:00:00 in the reader's zone, as the field wants it. */
function localText(ts: number): string {
  const date = new Date(ts * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
