import { writeIndex } from './index-file.ts';

// npm run marketplace-index -- <folder of items> <target folder>: makes the archives of items, and the index that lists
// them.

const [folder, target] = process.argv.slice(2);
if (folder === undefined || target === undefined) {
  process.stderr.write('Usage: npm run marketplace-index -- <folder of items> <target folder>\n');
  process.exit(1);
}
try {
  const slugs = await writeIndex(folder, target);
  process.stdout.write(`${target}/index.json lists ${slugs.length} items: ${slugs.join(', ')}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
