// A bundle includes all of a lazily imported package. Imported through this file, it includes only what `streamText` needs.
export { streamText } from 'ai'
