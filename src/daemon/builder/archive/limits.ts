/** Limits on project archives: far above what real projects need, and safe for the machine. */
export const ARCHIVE_LIMITS = {
  entries: 20_000,
  totalBytes: 500 * 1000 * 1000,
  /** Maximum compression ratio after `ratioFromBytes` of unpacked data. Text rarely exceeds 20. gzip can reach 1,032. */
  ratio: 100,
  ratioFromBytes: 10 * 1000 * 1000,
  /** Bytes of UTF-8. File systems allow 255 per name. */
  nameBytes: 255,
  pathBytes: 1024,
} as const

export type ArchiveLimits = { readonly [K in keyof typeof ARCHIVE_LIMITS]: number }
