/** Limits on instances where a configuration sets none. Apart from the schema, which is slow to load. */
export const DEFAULT_SCALING = { min_instances: 1, max_instances: 10 } as const
