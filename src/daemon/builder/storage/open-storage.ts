import { FileStorage } from './file-storage.ts'
import type { ObjectStorage } from './object-storage.ts'
import type { S3Settings } from './s3-client.ts'

/** A folder other than the home, or a bucket. */
export type StorageSettings = { type: 'file'; directory: string } | ({ type: 's3' } & S3Settings)

/** Loads the S3 client only if a bucket is configured. */
export async function openStorage(
  home: string,
  settings: StorageSettings | undefined,
): Promise<ObjectStorage> {
  if (settings?.type !== 's3') return new FileStorage(settings?.directory ?? home)
  const { S3Storage } = await import('./s3-storage.ts')
  return new S3Storage(settings)
}
