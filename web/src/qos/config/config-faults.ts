import { checkConfig } from '../../../../src/qos/config-check.ts';
import type { ErrorDetail } from '../../api/client.ts';
import type { TeamConfig } from '../qos-types.ts';

/** Something wrong with the query of a label, and where: from one place of its text up to another. */
export type Fault = { label: string; message: string; from: number; to: number };

/** What the service would say to this configuration, found by the same code. */
export const faultsOf = (
  config: TeamConfig,
  known: { graphLabels: ReadonlySet<string>; rules: ReadonlySet<string> },
): Fault[] => toFaults(config, checkConfig(config, known));

/** The service names the label in the path, and the line and column in the message. */
export function toFaults(config: TeamConfig, details: readonly ErrorDetail[]): Fault[] {
  return details.flatMap(({ path, message }) => {
    const label = path.replace(/\.qos$/, '');
    const text = config[label]?.qos;
    if (text === undefined) return [];
    const [, line = '1', column = '1', rest = message] = /^line (\d+), column (\d+): (.*)$/s.exec(message) ?? [];
    const from = Math.min(text.length, offsetAt(text, Number(line), Number(column)));
    // The word that begins there, or the one sign.
    const length = /^(\w+|.)/.exec(text.slice(from))?.[0].length ?? 0;
    return [
      { label, message: `column ${column}${line === '1' ? '' : ` of line ${line}`}: ${rest}`, from, to: from + length },
    ];
  });
}

function offsetAt(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}
