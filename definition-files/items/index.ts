export { type IndexEntry, IndexFault, type ReadIndex, readIndexFile } from './read-index.ts';
export { readItem } from './read-item.ts';
export { readItems } from './read-items.ts';
export { writeAgentFiles } from './write-agent-files.ts';
