/**
 * How deep each label stands: 0 for labels that depend on no other, one more than the deepest label it depends on for the others.
 *
 *     Website → App → Database → Server        depth 3, 2, 1, 0
 *
 * `counts[a * labels + b]` are the relationships from label a to label b. Where two labels depend on each other, the rarer direction does
 * not count; what still goes in a circle is cut where it is found.
 */
export function depthsOf(labels: number, counts: Float64Array): number[] {
  const depths = Array.from({ length: labels }, () => -1);
  const onTheWay = new Set<number>();
  const depthOf = (label: number): number => {
    const known = depths[label] ?? -1;
    if (known >= 0) return known;
    onTheWay.add(label);
    let depth = 0;
    for (let other = 0; other < labels; other++) {
      const there = counts[label * labels + other] ?? 0;
      const back = counts[other * labels + label] ?? 0;
      if (other === label || there <= back || onTheWay.has(other)) continue;
      depth = Math.max(depth, depthOf(other) + 1);
    }
    onTheWay.delete(label);
    depths[label] = depth;
    return depth;
  };
  for (let label = 0; label < labels; label++) depthOf(label);
  return depths;
}
