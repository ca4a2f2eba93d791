/** The same text and number always give the same value from 0 up to 1: chance that can be repeated. */
export function noise(text: string, number = 0): number {
  let hash = 0x811c9dc5 ^ Math.imul(number, 0x9e3779b1);
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // Neighbouring seconds must not look alike.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}

export const pick = <T>(list: readonly T[], text: string): T => list[Math.floor(noise(text) * list.length)];
