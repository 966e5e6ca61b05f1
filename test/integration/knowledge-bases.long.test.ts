import './knowledge-bases.test.ts';
