import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newTestDirectory } from './database.ts';

/** A workflow home of these files, in a folder of its own that goes at the end of the file. */
export async function newHome(files: Record<string, string>): Promise<string> {
  const home = await newTestDirectory();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  return home;
}
