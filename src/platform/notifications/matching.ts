import type { Filters, ListeningChannel, Occasion } from './event.ts';

/** Is this channel told of this? */
export function isWanted(channel: ListeningChannel, occasion: Occasion): boolean {
  if (occasion.teamId !== undefined && occasion.teamId !== channel.team_id) return false;
  const policy = channel[`on_${occasion.phase}`];
  if (policy === 'never' || (policy === 'change' && !occasion.isChange)) return false;
  return passes(channel.filters, occasion.about);
}

/**
 * Without filters everything passes. With some, only what a filter speaks of: a channel that names workflows is not told of services.
 * Project and workflow must both fit, if both are given.
 */
function passes(filters: Filters, about: Occasion['about']): boolean {
  const { projects, workflows, services, labels } = filters;
  if ([projects, workflows, services, labels].every((filter) => filter === undefined)) return true;
  if (about.kind === 'service') return services !== undefined && fitsOne(services, about.type);
  if (about.kind === 'qos') return labels !== undefined && fitsOne(labels, about.label);
  return (
    (projects !== undefined || workflows !== undefined) &&
    (projects === undefined || fitsOne(projects, about.project)) &&
    (workflows === undefined || fitsOne(workflows, about.fullname))
  );
}

const fitsOne = (globs: string[], text: string): boolean => globs.some((glob) => fitsGlob(glob, text));

/**
 * `*` is any text, `?` any one character, all else is itself. Walked by hand, in steps of at most glob × text: a regular expression made
 * from `*a*a*a*a*b` could take for ever.
 */
export function fitsGlob(glob: string, text: string): boolean {
  let [at, position] = [0, 0];
  /** Where the newest star stands, and how much of the text it has taken. */
  let star: { at: number; position: number } | undefined;
  while (position < text.length) {
    if (glob[at] === '*') {
      star = { at, position };
      at++;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[position])) {
      at++;
      position++;
    } else if (star) {
      star.position++;
      [at, position] = [star.at + 1, star.position];
    } else return false;
  }
  return /^\**$/.test(glob.slice(at));
}
