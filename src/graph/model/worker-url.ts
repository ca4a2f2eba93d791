/** The worker file beside this one: `.ts` from a checkout, `.js` once compiled. */
export function workerUrl(name: 'model-worker' | 'builder-worker'): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}
