/** Which methods an address has, for the difference between 404 and 405. */
export function createMethodIndex() {
  const routes: { pattern: RegExp; methods: Set<string> }[] = [];
  const byUrl = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  return {
    add(method: string | string[], url: string): void {
      let route = byUrl.get(url);
      if (!route) {
        route = { pattern: toPattern(url), methods: new Set() };
        byUrl.set(url, route);
        routes.push(route);
      }
      for (const one of [method].flat()) route.methods.add(one);
    },
    allowed(requestUrl: string): string[] {
      const path = requestUrl.split('?')[0];
      const found = new Set<string>();
      for (const route of routes) if (route.pattern.test(path)) for (const method of route.methods) found.add(method);
      return [...found].toSorted();
    },
  };
}

function toPattern(url: string): RegExp {
  const parts = url
    .split(/(:\w+|\*)/)
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('')}$`);
}
