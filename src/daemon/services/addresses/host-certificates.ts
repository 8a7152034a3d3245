import type { CertificateList } from '../../../shared/contract/deployments/certificates.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { HostNames } from './host-names.ts'

type Dependencies = Pick<ServiceDependencies, 'publicListeners' | 'store'>

/** Certificates of the host names that are served over HTTPS. */
export class HostCertificates {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  list(): CertificateList {
    const { publicListeners, store } = this.#deps
    const report = publicListeners.certificates(new HostNames(store).list())
    return report ?? { port: null, items: [], authority: null }
  }
}
