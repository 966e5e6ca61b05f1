export { CodeBlock } from './code-block.tsx';
export { CopyButton } from './copy-button.tsx';
