/** What the database can keep and look into: not too long, no half characters, no zero bytes. */
export const cleanText = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).toWellFormed().replaceAll('\u0000', '\ufffd');
