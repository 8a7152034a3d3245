/** Query parameters with these names that have a value. */
export function readFilters<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = names.map(name => [name, query.get(name)] as const).filter(([, value]) => value)
  return Object.fromEntries(given) as Partial<Record<Name, string>>
}
