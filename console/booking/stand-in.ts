/**
 * Who runs a session once `id` is chosen too. Who was not there before stands in for the only one of the same kind who was;
 * chosen again, that one runs it as well.
 *
 *     withStandIn(["carla", "room"], "dora", { before: ["carla", "room"], ofKind: ["carla", "dora"] }) // ["room", "dora"]
 */
export function withStandIn(
  chosen: readonly string[],
  id: string,
  { before, ofKind }: { readonly before: readonly string[]; readonly ofKind: readonly string[] },
): readonly string[] {
  const [only, ...others] = chosen.filter((each) => ofKind.includes(each));
  const standsIn = others.length === 0 && only !== undefined && before.includes(only) && !before.includes(id);
  return [...chosen.filter((each) => !standsIn || each !== only), id];
}
