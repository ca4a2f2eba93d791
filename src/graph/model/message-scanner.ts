import { MAX_NAME_CHARACTERS } from '../message.ts';

/** A time that the message did not give, and one it gave as null. */
export const ABSENT = -1;
export const CLEARED = -2;

/** Where label and name stand in the message's bytes, and the times given with them. */
export class ScannedPart {
  /** The label's number, for whoever looked it up. */
  label = ABSENT;
  labelStart = ABSENT;
  labelEnd = ABSENT;
  nameStart = ABSENT;
  nameEnd = ABSENT;
  from = ABSENT;
  to = ABSENT;
  /** Its times stood in an object of their own. */
  hasTimes = false;

  clear(): void {
    this.labelStart = ABSENT;
    this.nameStart = ABSENT;
    this.from = ABSENT;
    this.to = ABSENT;
    this.hasTimes = false;
  }

  isEmpty(): boolean {
    return this.labelStart < 0 && this.nameStart < 0 && this.from === ABSENT && this.to === ABSENT && !this.hasTimes;
  }
}

/** A message that was read where it stands: no object and no string was made of it. Of `rel` only the times count. */
export class ScannedMessage {
  bytes: Uint8Array = new Uint8Array(0);
  readonly source = new ScannedPart();
  readonly target = new ScannedPart();
  readonly rel = new ScannedPart();

  get hasTarget(): boolean {
    return this.target.labelStart >= 0;
  }
}

const UNUSUAL = -1;
const QUOTE = 0x22;
const NEWLINE = 0x0a;
const ZERO = 0x30;
/** Every whole number of so many digits is exact. */
const MAX_DIGITS = 15;

const SOURCE = Buffer.from('source');
const TARGET = Buffer.from('target');
const REL = Buffer.from('rel');
const LABEL = Buffer.from('label"');
const NAME = Buffer.from('name"');
const FROM = Buffer.from('from"');
const TO = Buffer.from('to"');
const PROPS = Buffer.from('props"');

/**
 * Reads the messages that everybody sends, nested or flat, keys in any order, at the speed of a loop over bytes. What it takes means
 * exactly what `parseMessage` of the parsed line means (a property test holds the two equal), except for the rule of labels, which is left to
 * whoever looks the label up. Whatever is unusual, broken lines too, it leaves to `parseMessage`: escapes, null, other numbers than whole
 * ones, unknown and repeated keys.
 *
 * The bytes must be valid UTF-8 and end with a newline; a newline is never passed, so neither is the end.
 */
export class MessageScanner {
  readonly message = new ScannedMessage();
  #bytes: Uint8Array = this.message.bytes;

  open(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.message.bytes = bytes;
  }

  /** Reads the line that begins at `start` into `message`: where its newline stands, or a negative number for an unusual line. */
  scan(start: number): number {
    const bytes = this.#bytes;
    const { source, target, rel } = this.message;
    source.clear();
    target.clear();
    rel.clear();
    let isNested = false;
    let isFlat = false;
    let at = this.#blank(start);
    if (bytes[at] !== 0x7b) return UNUSUAL;
    do {
      at = this.#blank(at + 1);
      if (bytes[at] !== QUOTE) return UNUSUAL;
      at++;
      const first = bytes[at];
      const part = first === 0x73 ? source : first === 0x74 ? target : rel;
      at = this.#word(at, part === source ? SOURCE : part === target ? TARGET : REL);
      if (at < 0) return UNUSUAL;
      if (bytes[at] === QUOTE) {
        isNested = true;
        at = this.#colon(at + 1);
        if (at < 0) return UNUSUAL;
        at = part === rel ? this.#times(at, rel) : this.#node(at, part);
      } else if (bytes[at] === 0x5f) {
        isFlat = true;
        at = this.#field(at + 1, part, part !== rel);
      } else return UNUSUAL;
      if (at < 0) return UNUSUAL;
      at = this.#blank(at);
    } while (bytes[at] === 0x2c);
    if (bytes[at] !== 0x7d || (isNested && isFlat)) return UNUSUAL;
    at = this.#blank(at + 1);
    if (bytes[at] !== NEWLINE) return UNUSUAL;
    if (source.labelStart < 0 || source.nameStart < 0) return UNUSUAL;
    if (target.labelStart < 0 || target.nameStart < 0) return target.isEmpty() && rel.isEmpty() ? at : UNUSUAL;
    return at;
  }

  /** `{"label": …, "name": …, "props": {…}}` */
  #node(start: number, part: ScannedPart): number {
    const bytes = this.#bytes;
    if (bytes[start] !== 0x7b) return UNUSUAL;
    let at = start;
    do {
      at = this.#blank(at + 1);
      if (bytes[at] !== QUOTE) return UNUSUAL;
      at++;
      if (bytes[at] === 0x70) {
        at = this.#word(at, PROPS);
        if (at < 0) return UNUSUAL;
        at = this.#colon(at);
        if (at < 0) return UNUSUAL;
        at = this.#times(at, part);
      } else if (bytes[at] === 0x6c || bytes[at] === 0x6e) at = this.#field(at, part, true);
      else return UNUSUAL;
      if (at < 0) return UNUSUAL;
      at = this.#blank(at);
    } while (bytes[at] === 0x2c);
    return bytes[at] === 0x7d && part.labelStart >= 0 && part.nameStart >= 0 ? at + 1 : UNUSUAL;
  }

  /** `{"from": …, "to": …}` */
  #times(start: number, part: ScannedPart): number {
    const bytes = this.#bytes;
    if (bytes[start] !== 0x7b || part.hasTimes) return UNUSUAL;
    part.hasTimes = true;
    let at = this.#blank(start + 1);
    if (bytes[at] === 0x7d) return at + 1;
    at--;
    do {
      at = this.#blank(at + 1);
      if (bytes[at] !== QUOTE) return UNUSUAL;
      at = this.#field(at + 1, part, false);
      if (at < 0) return UNUSUAL;
      at = this.#blank(at);
    } while (bytes[at] === 0x2c);
    return bytes[at] === 0x7d ? at + 1 : UNUSUAL;
  }

  /** The rest of a key, `label"`, `name"`, `from"` or `to"`, with its value. */
  #field(start: number, part: ScannedPart, isOfNode: boolean): number {
    const first = this.#bytes[start];
    if (first === 0x66 || first === 0x74) {
      const isFrom = first === 0x66;
      const at = this.#word(start, isFrom ? FROM : TO);
      return at < 0 || (isFrom ? part.from : part.to) !== ABSENT
        ? UNUSUAL
        : this.#second(this.#colon(at), part, isFrom);
    }
    if (!isOfNode || (first !== 0x6c && first !== 0x6e)) return UNUSUAL;
    const isLabel = first === 0x6c;
    let at = this.#word(start, isLabel ? LABEL : NAME);
    if (at < 0 || (isLabel ? part.labelStart : part.nameStart) >= 0) return UNUSUAL;
    at = this.#colon(at);
    if (at < 0) return UNUSUAL;
    const end = this.#text(at);
    if (end < 0) return UNUSUAL;
    if (isLabel) {
      part.labelStart = at + 1;
      part.labelEnd = end;
    } else {
      part.nameStart = at + 1;
      part.nameEnd = end;
    }
    return end + 1;
  }

  /** Where the closing quote of a text stands that could be a name. */
  #text(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== QUOTE) return UNUSUAL;
    let continued = 0;
    let at = start + 1;
    for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[++at]) {
      if (byte < 0x20 || byte === 0x5c || byte === 0x7f) return UNUSUAL;
      if (byte < 0x80) continue;
      // C1 control characters are C2 80 to C2 9F.
      if (byte === 0xc2 && bytes[at + 1] < 0xa0) return UNUSUAL;
      if (byte < 0xc0) continued++;
    }
    const characters = at - start - 1 - continued;
    return characters > 0 && characters <= MAX_NAME_CHARACTERS ? at : UNUSUAL;
  }

  #second(start: number, part: ScannedPart, isFrom: boolean): number {
    if (start < 0) return UNUSUAL;
    const bytes = this.#bytes;
    let at = start;
    let value = 0;
    for (let digit = bytes[at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at] - ZERO) value = value * 10 + digit;
    const digits = at - start;
    if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && bytes[start] === ZERO)) return UNUSUAL;
    // A fraction or an exponent is refused by whoever expects a comma or a bracket here.
    if (isFrom) part.from = value;
    else part.to = value;
    return at;
  }

  /** After a key: where its value begins. */
  #colon(start: number): number {
    const at = this.#blank(start);
    return this.#bytes[at] === 0x3a ? this.#blank(at + 1) : UNUSUAL;
  }

  #blank(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d) at++;
    return at;
  }

  #word(start: number, word: Uint8Array): number {
    const bytes = this.#bytes;
    for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return UNUSUAL;
    return start + word.length;
  }
}
