import { packTimes } from './make-zip.ts';

const ZLIB_HEAD = Buffer.from([0x78, 0x9c]);

/** Makes a PDF with a line of text on each page. */
export function makePdf(lines: readonly string[]): Buffer {
  const kids = lines.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, at) => {
      const content =
        line === '' ? '' : `BT /F1 12 Tf 72 720 Td (${line.replaceAll(/[()\\]/g, String.raw`\$&`)}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [at, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

/** Makes a PDF whose only page unpacks to 100 MB. */
export function makePdfBomb(): Buffer {
  const packed = Buffer.concat([ZLIB_HEAD, packTimes(Buffer.alloc(1_000_000, '('), 100)]);
  const whole = makePdf(['x']).toString('latin1');
  const at = whole.indexOf('5 0 obj');
  const end = whole.indexOf('endobj', at);
  const head = `${whole.slice(0, at)}5 0 obj\n<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
  return Buffer.concat([
    Buffer.from(head, 'latin1'),
    packed,
    Buffer.from(`\nendstream\n${whole.slice(end)}`, 'latin1'),
  ]);
}
