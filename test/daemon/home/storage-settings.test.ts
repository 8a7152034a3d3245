import { expect, test } from 'vitest'
import { readStorage } from '../../../src/daemon/home/storage-settings.ts'

const env = { MCP_STORAGE: 's3://bucket', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }

test.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'])('names %s if its value is not a web URL', variable => {
  const read = () => readStorage({ AWS_ENDPOINT_URL: 'https://s3.example', ...env, [variable]: 'minio:9000' })
  expect(read).toThrow(`${variable} is "minio:9000", expected an http or https URL.`)
})

test('ignores an empty AWS_ENDPOINT_URL_S3', () => {
  const settings = readStorage({ ...env, AWS_ENDPOINT_URL_S3: '', AWS_ENDPOINT_URL: 'https://s3.example' })
  expect(settings).toMatchObject({ type: 's3', endpoint: 'https://s3.example' })
})
