import { NamedGateway, type NamedGatewayOptions } from './named-gateway.ts'
import { rarely } from './rarely.ts'
import { Certificates } from './tls/certificates.ts'
import { TlsGateway } from './tls/tls-gateway.ts'

/** Ports of the named gateway; 0 picks a free one. */
export interface FrontDoorPorts {
  http: number
  https: number
}

export interface FrontDoorOptions extends NamedGatewayOptions {
  ports: FrontDoorPorts
  /** Of certificates and the local authority. */
  tlsDir: string
  /** A port that another program holds, most likely the daemon of another home: the servers keep their own ports. */
  onTaken(port: number, error: Error): void
  /** Of a name with a certificate of its own: why clients will not take it. */
  onCertificate(problem: string): void
}

/** The two ports behind which all servers are found by name; closed until they are opened. */
export class FrontDoors {
  #http: NamedGateway | undefined
  #https: TlsGateway | undefined

  /** Of connections that fail it is told at most once a minute. */
  async open({ ports, tlsDir, onTaken, onCertificate, ...given }: FrontDoorOptions): Promise<void> {
    const options = {
      ...given,
      onAcceptError: rarely(given.onAcceptError),
      onDropped: rarely(given.onDropped),
    }
    const certificates = new Certificates(tlsDir, onCertificate)
    const certificate = (hostname: string) => certificates.find(hostname)
    const [http, https] = await Promise.all([
      NamedGateway.open(ports.http, options).catch(error => onTaken(ports.http, error)),
      TlsGateway.open(ports.https, { ...options, certificate }).catch(error => onTaken(ports.https, error)),
    ])
    this.#http = http ?? undefined
    this.#https = https ?? undefined
  }

  /** MCP endpoints of a host name; empty where the port is not ours. */
  urls(hostname: string): { url: string; secureUrl: string } {
    return {
      url: this.#http ? `http://${hostname}:${this.#http.port}/mcp` : '',
      secureUrl: this.#https ? `https://${hostname}:${this.#https.port}/mcp` : '',
    }
  }

  /** The ports that are open, and what they listen on. */
  sockets(): { port: number; descriptor: number; door: keyof FrontDoorPorts }[] {
    const doors = { http: this.#http, https: this.#https }
    return (['http', 'https'] as const).flatMap(door => {
      const { port, descriptor } = doors[door] ?? {}
      return port === undefined || descriptor === undefined ? [] : [{ door, port, descriptor }]
    })
  }

  close(): void {
    this.#http?.close()
    this.#https?.close()
  }
}
