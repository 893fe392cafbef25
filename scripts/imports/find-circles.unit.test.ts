import { expect, test } from 'vitest';
import { findCircles } from './find-circles.ts';

function graph(edges: Record<string, string[]>): Map<string, Set<string>> {
  return new Map(Object.entries(edges).map(([node, next]) => [node, new Set(next)]));
}

test('a chain has no circle', () => {
  expect(findCircles(graph({ a: ['b'], b: ['c'], c: [] }))).toEqual([]);
});

test('each group of nodes that reach each other is one circle', () => {
  const edges = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'], f: ['a'] };
  expect(findCircles(graph(edges))).toEqual([
    ['d', 'e'],
    ['a', 'b', 'c'],
  ]);
});

test('a node that imports itself or something unknown is not a circle', () => {
  expect(findCircles(graph({ a: ['a', 'elsewhere'] }))).toEqual([]);
});
