import { toStorableText } from '../../../../domain/core/text.ts';
import { formatBytes } from '../../../../domain/core/format-bytes.ts';
import { isPlaceholder, type McpAnswer } from '../../../mcp-servers/index.ts';
import type { ToolContext } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';

type Block = McpAnswer['content'][number];

const FOLDER = 'mcp-results';
/** Files that one answer may leave in the workspace. */
const MAX_FILES = 20;

// Everything else is kept as bytes of an unknown kind.
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
]);

type Place = Pick<ToolContext, 'workspace' | 'idempotencyKey'>;

/**
 * Returns an answer as text: its texts, a file of the workspace for each image and other bytes, links as they are, and
 * the structured result when there is no text.
 */
export async function presentAnswer({ content, structuredContent }: McpAnswer, place: Place): Promise<string> {
  const files = new AnswerFiles(place);
  const parts: string[] = [];
  // One after the other: each file counts against the workspace's limit.
  for (const block of content) parts.push(await present(block, files));
  const hasText = content.some((block) => block.type === 'text' && block.text !== '' && !isPlaceholder(block));
  if (!hasText && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const text = parts.filter((part) => part !== '').join('\n');
  return text === '' ? 'The tool has answered with nothing.' : text;
}

async function present(block: Block, files: AnswerFiles): Promise<string> {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return `[Link to the resource ${oneLine(block.name)}: ${oneLine(block.uri)}]`;
  if (block.type !== 'resource') return files.keep(block.type, block.data, block.mimeType);
  const { resource } = block;
  const uri = oneLine(resource.uri);
  if ('text' in resource) return `[Resource ${uri}]\n${resource.text}`;
  return files.keep(`resource ${uri}`, resource.blob, resource.mimeType ?? '');
}

function oneLine(text: string): string {
  return toStorableText(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .slice(0, 500);
}

/** Keeps the bytes of an answer in the workspace, under names of our own. */
class AnswerFiles {
  readonly #place: Place;
  #count = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  async keep(what: string, base64: string, mimeType: string): Promise<string> {
    const bytes = Buffer.from(base64, 'base64');
    const kind = oneLine(mimeType).slice(0, 100);
    const told = `${what}${kind === '' ? '' : `, ${kind}`}, ${formatBytes(bytes.length)}`;
    if (this.#count === MAX_FILES) return `[${told}: not kept, since an answer leaves at most ${MAX_FILES} files]`;
    this.#count += 1;
    const { workspace, idempotencyKey } = this.#place;
    const name = idempotencyKey.replaceAll(/[^0-9A-Za-z-]/g, '_').slice(0, 100);
    const path = `${FOLDER}/${name}-${this.#count}.${ENDINGS.get(mimeType.toLowerCase()) ?? 'bin'}`;
    try {
      await workspace.write(filePath(path), bytes, { overwrite: true, createFolders: true, isForeign: true });
      return `[${told}: kept in the workspace file ${path}]`;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return `[${told}: could not be kept in the workspace: ${error.message}]`;
    }
  }
}
