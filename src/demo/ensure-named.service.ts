import { z } from 'zod';
import type { Client } from '../cli/client.ts';

const named = z.object({ id: z.string(), name: z.string() });

/** The id of the thing with this name, which is created where it is missing. `key` is what the list is called in the answer. */
export async function ensureNamed(
  client: Client,
  path: string,
  key: string,
  wanted: { name: string } & Record<string, unknown>,
): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const list = (await client.get(path, z.object({ [key]: z.array(named) }))).value[key];
    return list.find(({ name }) => name === wanted.name)?.id;
  };
  const [address] = path.split('?');
  return (
    (await find()) ??
    (await client.post(address, named, wanted).then(
      ({ value }) => value.id,
      async (refusal: unknown) => {
        // Another process that loads the same may have been faster.
        const id = await find();
        if (id === undefined) throw refusal;
        return id;
      },
    ))
  );
}
