import { certificateListSchema } from '../../../shared/contract/deployments/certificates.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'

export function certificatesEndpoints({ hostCertificates }: Services) {
  const listCertificates = dataEndpoint({
    operationId: 'listCertificates',
    summary: 'List the certificates of all host names',
    answers: { 200: { description: 'The certificates.', schema: certificateListSchema } },
    run: () => hostCertificates.list(),
  })

  return { listCertificates }
}
