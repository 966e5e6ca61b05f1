export { type IndexEntry, IndexFault, type ReadIndex, readIndexFile } from './read-index.ts';
export { readItem } from './read-item.ts';
export { readShippedItems } from './shipped-items.ts';
export { writeAgentFiles } from './write-agent-files.ts';
