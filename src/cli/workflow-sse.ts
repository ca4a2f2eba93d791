/** One server-sent event; what lies in `data` is the reader's business. */
export type ServerEvent = { id: string | undefined; event: string; data: string };

/** Cuts a stream of bytes into its events. Comments (a server's way to keep the line open) are passed over. */
export async function* parseEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields = noFields();
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the very end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        takeField(fields, line);
        continue;
      }
      if (fields.data.length > 0)
        yield { id: fields.id, event: fields.event || 'message', data: fields.data.join('\n') };
      // An id stands until the next one does.
      fields = { ...noFields(), id: fields.id };
    }
  }
}

type Fields = { id: string | undefined; event: string; data: string[] };
const noFields = (): Fields => ({ id: undefined, event: '', data: [] });

function takeField(fields: Fields, line: string): void {
  const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (name === 'data') fields.data.push(value);
  if (name === 'event') fields.event = value;
  if (name === 'id') fields.id = value;
}
