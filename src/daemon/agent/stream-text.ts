// Of a package that is imported lazily by itself, a bundle holds everything. Through this file it holds what this function needs.
export { streamText } from 'ai'
