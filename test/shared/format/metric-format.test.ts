import { expect, test } from 'vitest'
import { formatBytes } from '../../../src/shared/format/metric-format.ts'

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [4300, '4.2 KiB'],
  [100 * 1024 * 1024, '100 MiB'],
  [1024 * 1024 - 1, '1.0 MiB'],
  [3 * 1024 ** 3, '3.0 GiB'],
  [5000 * 1024 ** 4, '5000 TiB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
