import './extract.test.ts';
