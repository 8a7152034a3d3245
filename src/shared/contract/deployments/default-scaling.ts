/** Limits on instances if a configuration sets none. In a separate module, because the schema is slow to load. */
export const DEFAULT_SCALING = { min_instances: 1, max_instances: 10 } as const
