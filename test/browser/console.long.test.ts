import './console.test.ts';
