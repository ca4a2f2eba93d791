import type pg from 'pg';
import { frame, frameHeader, frameType } from './wire.ts';

/**
 * One portion of rows through COPY. pg-copy-streams throws outside of any promise when the server refuses a row while data is
 * still being sent, which ends the process; here the portion goes out at once, and a refusal is a rejection like any other.
 */
export async function copyIn(client: pg.ClientBase, statement: string, rows: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let failure: Error | undefined;
  const copy: CopyQuery = {
    submit: (connection) => connection.query(statement),
    handleCopyInResponse: ({ stream }) => {
      for (const bytes of [frameHeader(frameType.copyData, rows.length), rows, frame(frameType.copyDone)]) {
        stream.write(bytes);
      }
    },
    handleError: (error) => {
      failure = error;
      // Of a statement that failed there is no other end; of a connection that broke neither.
      reject(error);
    },
    handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
    handleCommandComplete: () => {},
    handleEmptyQuery: () => {},
  };
  client.query(copy);
  await promise;
}

/** What pg calls on a query of another's making. */
type CopyQuery = {
  submit(connection: pg.Connection): void;
  handleCopyInResponse(connection: pg.Connection): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
  handleCommandComplete(): void;
  handleEmptyQuery(): void;
};
