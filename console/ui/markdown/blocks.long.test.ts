import './blocks.test.ts';
