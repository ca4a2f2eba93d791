import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import type { Channel } from '../api/types.ts';
import { Button } from '../design/button.tsx';
import { Outcome } from '../design/outcome.tsx';

export function ChannelTest({ channel }: { channel: Channel }) {
  const test = useChange(
    () => api.post<{ ok: boolean; message: string }>(`/notification/channels/${channel.id}/test`),
    ['/notification/deliveries'],
  );
  return (
    <span className="row">
      <Button
        isSmall
        icon="send"
        isBusy={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`Send a test to ${channel.name}`}
      >
        Send a test
      </Button>
      {!test.isPending && test.data && <Outcome isGood={test.data.ok}>{test.data.message}</Outcome>}
      {!test.isPending && test.error && <Outcome isGood={false}>{test.error.message}</Outcome>}
    </span>
  );
}
