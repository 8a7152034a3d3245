import { NamedGateway, type NamedGatewayOptions } from './named-gateway.ts'
import { oncePerMinute } from './once-per-minute.ts'
import { type CertificateReport, Certificates } from './tls/certificates.ts'
import { TlsGateway } from './tls/tls-gateway.ts'

/** Ports of the named gateway. 0 picks a free one. */
export interface PublicPorts {
  http: number
  https: number
}

export interface PublicListenersOptions extends NamedGatewayOptions {
  ports: PublicPorts
  /** Folder of the certificates and the local authority. */
  tlsDir: string
  /** The port cannot be opened, usually because the daemon of another home holds it. The servers keep their own ports. */
  onTaken(port: number, error: Error): void
  /** The user's certificate for a host name is unusable, or clients will reject it. */
  onCertificate(problem: string): void
}

/** The HTTP and HTTPS ports on which all servers are available by name. Closed until `open`. */
export class PublicListeners {
  #http: NamedGateway | undefined
  #https: TlsGateway | undefined
  #certificates: Certificates | undefined

  /** Opens the ports. A port that cannot be opened stays closed. Failed connections are reported at most once a minute. */
  async open({ ports, tlsDir, onTaken, onCertificate, ...given }: PublicListenersOptions): Promise<void> {
    const options = {
      ...given,
      onAcceptError: oncePerMinute(given.onAcceptError),
      onDropped: oncePerMinute(given.onDropped),
    }
    const certificates = new Certificates(tlsDir, onCertificate)
    const certificate = (hostname: string) => certificates.find(hostname)
    const [http, https] = await Promise.all([
      NamedGateway.open(ports.http, options).catch(error => onTaken(ports.http, error)),
      TlsGateway.open(ports.https, { ...options, certificate }).catch(error => onTaken(ports.https, error)),
    ])
    this.#http = http ?? undefined
    this.#https = https ?? undefined
    this.#certificates = certificates
  }

  /** MCP endpoints of a host name. Empty for a port that is not open. */
  urls(hostname: string): { url: string; secureUrl: string } {
    return {
      url: this.#http ? `http://${hostname}:${this.#http.port}/mcp` : '',
      secureUrl: this.#https ? `https://${hostname}:${this.#https.port}/mcp` : '',
    }
  }

  /** Certificates of host names, and the port that presents them. Undefined while that port is not open. */
  certificates(hostnames: readonly string[]): (CertificateReport & { port: number }) | undefined {
    return this.#https && { port: this.#https.port, ...this.#certificates!.describe(hostnames) }
  }

  /** Open ports with their file descriptors. */
  sockets(): { port: number; descriptor: number; protocol: keyof PublicPorts }[] {
    const gateways = { http: this.#http, https: this.#https }
    return (['http', 'https'] as const).flatMap(protocol => {
      const { port, descriptor } = gateways[protocol] ?? {}
      return port === undefined || descriptor === undefined ? [] : [{ protocol, port, descriptor }]
    })
  }

  close(): void {
    this.#http?.close()
    this.#https?.close()
  }
}
