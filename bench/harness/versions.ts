import manifest from '../../package.json' with { type: 'json' };

/** Versions are pinned exactly, so what package.json says is what runs. */
export function dependencyVersion(name: string): string {
  const all: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
  return all[name] ?? 'unknown';
}
