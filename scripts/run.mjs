// node scripts/run.mjs <file> [arguments]: installs what is missing, then runs the file with Node 24.
// Everything that people start (`npm start`, `npm test`, the bench) goes through here.
// This file itself must parse on old versions of Node, so that they get a sentence and not a syntax error.

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  process.stderr.write(`Everturn needs Node 20 or newer to start; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Usage: node scripts/run.mjs <file> [arguments]\n');
  process.exit(1);
}

const { runWithNode24 } = await import('./bootstrap.mjs');
process.exitCode = await runWithNode24(file, args);
