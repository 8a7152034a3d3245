/** What an archive of a project may hold at most; far above any real one, far below what would hurt the machine. */
export const ARCHIVE_LIMITS = {
  entries: 20_000,
  totalBytes: 500 * 1000 * 1000,
  /** Unpacked to packed, once more than `ratioFromBytes` are unpacked: text rarely passes 20, gzip can reach 1,032. */
  ratio: 100,
  ratioFromBytes: 10 * 1000 * 1000,
  /** Bytes of UTF-8; file systems end at 255 a name. */
  nameBytes: 255,
  pathBytes: 1024,
} as const

export type ArchiveLimits = { readonly [K in keyof typeof ARCHIVE_LIMITS]: number }
