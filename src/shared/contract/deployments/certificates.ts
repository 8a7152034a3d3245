import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { isoTime } from '../fields.ts'

/** Certificates for HTTPS at host names (extension; docs/domains.md). */

const EXAMPLE_CERTIFICATE = {
  subject: 'CN=mcp.example.com',
  issuer: "C=US, O=Let's Encrypt, CN=R3",
  notBefore: '2026-11-01T00:00:00.000Z',
  notAfter: '2027-01-30T00:00:00.000Z',
  fingerprint:
    '5E:2C:9A:41:0B:77:D3:18:64:F0:AC:3B:92:15:CE:87:49:6D:E1:0A:BB:34:58:F2:C7:90:1D:63:A8:2E:74:9F',
}

const certificateSchema = named('Certificate', 'An X.509 certificate.', EXAMPLE_CERTIFICATE).object({
  subject: z.string().describe('Distinguished name of its subject. Empty if it has none.'),
  issuer: z.string().describe('Distinguished name of its issuer.'),
  notBefore: isoTime.describe('Start of its validity.'),
  notAfter: isoTime.describe('End of its validity.'),
  fingerprint: z.string().describe('SHA-256 of the certificate: 32 bytes in hexadecimal, separated by ":".'),
})

const hostCertificateSchema = named('HostCertificate', 'The certificate that clients of a host name get.', {
  host: 'mcp.example.com',
  source: 'file',
  certificate: EXAMPLE_CERTIFICATE,
  problem: null,
}).object({
  host: z.string().describe('Host name of a server.'),
  source: z
    .enum(['file', 'authority'])
    .describe('`file`: files in the folder `tls` of the home. `authority`: the local certificate authority.'),
  certificate: certificateSchema
    .nullable()
    .describe('Null for a file without a certificate, and until the local authority has issued one.'),
  problem: z
    .string()
    .nullable()
    .describe(
      'Why clients cannot connect or will reject the certificate, and what to do. Null if there is no problem.',
    ),
})

export const certificateListSchema = named(
  'CertificateList',
  'Certificates for all host names, sorted by host name.',
  {
    port: 6443,
    items: [{ host: 'mcp.example.com', source: 'file', certificate: EXAMPLE_CERTIFICATE, problem: null }],
    authority: {
      ...EXAMPLE_CERTIFICATE,
      subject: 'CN=mcp-hosting local authority 4f2a91c0, O=mcp-hosting',
      issuer: 'CN=mcp-hosting local authority 4f2a91c0, O=mcp-hosting',
      notAfter: '2036-10-29T00:00:00.000Z',
    },
  },
).object({
  port: z
    .int()
    .nullable()
    .describe(
      'HTTPS port of the host names. Null, with empty `items`, while the daemon does not serve them over HTTPS.',
    ),
  items: z.array(hostCertificateSchema).describe('Certificates.'),
  authority: certificateSchema
    .nullable()
    .describe(
      'Certificate of the local authority, for clients to trust. Null until the first HTTPS connection that needs it.',
    ),
})

export type Certificate = z.infer<typeof certificateSchema>
export type HostCertificate = z.infer<typeof hostCertificateSchema>
export type CertificateList = z.infer<typeof certificateListSchema>
