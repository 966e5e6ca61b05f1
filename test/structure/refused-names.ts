/** By a word that the linter refuses in names: declarations of a name that has it. */
export const REFUSED_NAMES: Readonly<Record<string, readonly string[]>> = {
  look: ['const LOOK_EVERY_MS = 1;', 'for (const [looks] of [[1]]) use(looks);'],
  place: [
    'let inPlace = 1;',
    'function use({ id: place }: { id: string }) {}',
    'class Row {\n  readonly place = 1;\n}',
  ],
  piece: ['const use = (...pieces: string[]) => pieces;', 'interface PieceRef {}'],
  door: ['type BackDoor = string;'],
  carry: ['class Row {\n  carried() {}\n}', "import { copy as carry } from './copy.ts';\ncarry();"],
  engage: ['const use = { async run(engaged = false) {} };'],
  tell: ['function tellHTMLPart() {}', 'class Row {\n  #told = 1;\n}', 'interface Row {\n  tell(): void;\n}'],
  hold: ['interface Row {\n  readonly isHeld: boolean;\n}', 'type Use = (holds: string) => void;'],
  trial: ['class ToolTrial {}'],
  facility: ['const [{ facility }] = [{ facility: 1 }];'],
  audience: ['const audienceOf = 1;'],
};
