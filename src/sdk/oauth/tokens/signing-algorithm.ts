export type SigningAlgorithm = 'HS256' | 'ES256' | 'EdDSA'
