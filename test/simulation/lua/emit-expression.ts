import type { Expression } from 'luaparse';
import { LIBRARY } from './lua-library.js';
import type { LuaScope } from './lua-scope.js';

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  '..': 'concat',
};
const COMPARISONS: ReadonlySet<string> = new Set(['==', '~=', '<', '<=', '>', '>=']);
const REDIS: ReadonlySet<string> = new Set(['call', 'pcall', 'error_reply']);

/** Context that expressions need. */
export interface ExpressionDeps {
  readonly scope: LuaScope;
  /** Declares a variable of JavaScript in the function around. */
  temporary(): string;
  /** The name of a function of the library. */
  library(name: string): string;
  /** A function, whose parameters are known in its body. */
  functionOf(declaration: Expression & { type: 'FunctionDeclaration' }): string;
}

export class UnsupportedLuaError extends Error {
  constructor(what: string) {
    super(`the compiler of the simulation does not know ${what}: teach it, or write the script without it`);
  }
}

/** One value. */
export function emit(node: Expression, deps: ExpressionDeps): string {
  switch (node.type) {
    case 'NilLiteral':
      return 'undefined';
    case 'BooleanLiteral':
    case 'NumericLiteral':
      return String(node.value);
    case 'StringLiteral':
      return JSON.stringify(node.value);
    case 'Identifier':
      return emitName(node.name, deps);
    case 'MemberExpression':
      return emitMember(node, deps);
    case 'IndexExpression':
      return `index(${emit(node.base, deps)}, ${emit(node.index, deps)})`;
    case 'TableConstructorExpression':
      return emitTable(node, deps);
    case 'UnaryExpression':
      return emitUnary(node, deps);
    case 'BinaryExpression':
      return emitBinary(node, deps);
    case 'LogicalExpression': {
      const left = deps.temporary();
      const [yes, no] = [emit(node.right, deps), left];
      const test = `truthy(${left} = ${emit(node.left, deps)})`;
      return node.operator === 'and' ? `(${test} ? ${yes} : ${no})` : `(${test} ? ${no} : ${yes})`;
    }
    case 'CallExpression':
      return `first(${emitCall(node, deps)})`;
    case 'FunctionDeclaration':
      return deps.functionOf(node);
    default:
      throw new UnsupportedLuaError(node.type);
  }
}

/** True or false, as a condition needs it. */
export function emitCondition(node: Expression, deps: ExpressionDeps): string {
  if (node.type === 'LogicalExpression') {
    const operator = node.operator === 'and' ? '&&' : '||';
    return `(${emitCondition(node.left, deps)} ${operator} ${emitCondition(node.right, deps)})`;
  }
  if (node.type === 'UnaryExpression' && node.operator === 'not')
    return `!${emitCondition(node.argument, deps)}`;
  if (node.type === 'BinaryExpression' && COMPARISONS.has(node.operator)) return emitBinary(node, deps);
  return `truthy(${emit(node, deps)})`;
}

/** A list of values: a call at its end gives all that it has. */
export function emitList(nodes: readonly Expression[], deps: ExpressionDeps): string {
  return nodes
    .map((node, at) =>
      at === nodes.length - 1 && isOpenCall(node) ? `...all(${emitCall(node, deps)})` : emit(node, deps),
    )
    .join(', ');
}

/** A call that may give several values; not one in parentheses. */
export function isOpenCall(node: Expression): node is Expression & { type: 'CallExpression' } {
  return node.type === 'CallExpression' && (node as { inParens?: boolean }).inParens !== true;
}

/** A call, with all that it gives. */
export function emitCall(node: Expression & { type: 'CallExpression' }, deps: ExpressionDeps): string {
  const { base } = node;
  const callee = emit(base, deps);
  const args = emitList(node.arguments, deps);
  return isBuiltIn(base, deps) ? `${callee}(${args})` : `callable(${callee})(${args})`;
}

function isBuiltIn(base: Expression, { scope }: ExpressionDeps): boolean {
  if (base.type === 'Identifier') return scope.find(base.name) === undefined;
  return (
    base.type === 'MemberExpression' &&
    base.base.type === 'Identifier' &&
    scope.find(base.base.name) === undefined
  );
}

function emitName(name: string, deps: ExpressionDeps): string {
  const local = deps.scope.find(name);
  if (local !== undefined) return local;
  if (name in LIBRARY) return deps.library(name);
  throw new UnsupportedLuaError(`the global ${name}`);
}

function emitMember(node: Expression & { type: 'MemberExpression' }, deps: ExpressionDeps): string {
  const { base, identifier, indexer } = node;
  if (indexer !== '.') throw new UnsupportedLuaError(`a call of :${identifier.name}`);
  if (base.type === 'Identifier' && deps.scope.find(base.name) === undefined) {
    if (base.name === 'redis' && REDIS.has(identifier.name)) return `redis.${identifier.name}`;
    const full = `${base.name}.${identifier.name}`;
    if (full in LIBRARY) return deps.library(full);
    throw new UnsupportedLuaError(`the global ${full}`);
  }
  return `index(${emit(base, deps)}, ${JSON.stringify(identifier.name)})`;
}

function emitTable(
  { fields }: Expression & { type: 'TableConstructorExpression' },
  deps: ExpressionDeps,
): string {
  const items: Expression[] = [];
  const named: string[] = [];
  for (const field of fields) {
    if (field.type === 'TableValue') items.push(field.value);
    else if (field.type === 'TableKeyString')
      named.push(`[${JSON.stringify(field.key.name)}, ${emit(field.value, deps)}]`);
    else throw new UnsupportedLuaError('a table with computed keys');
  }
  const table = `new LuaTable([${emitList(items, deps)}])`;
  return named.length === 0 ? table : `withFields(${table}, [${named.join(', ')}])`;
}

function emitUnary(node: Expression & { type: 'UnaryExpression' }, deps: ExpressionDeps): string {
  if (node.operator === 'not') return emitCondition(node, deps);
  const operand = emit(node.argument, deps);
  if (node.operator === '#') return `size(${operand})`;
  if (node.operator === '-') return `negate(${operand})`;
  throw new UnsupportedLuaError(`the operator ${node.operator}`);
}

function emitBinary(node: Expression & { type: 'BinaryExpression' }, deps: ExpressionDeps): string {
  const [left, right] = [emit(node.left, deps), emit(node.right, deps)];
  switch (node.operator) {
    case '==':
      return `(${left} === ${right})`;
    case '~=':
      return `(${left} !== ${right})`;
    case '<':
      return `less(${left}, ${right})`;
    case '<=':
      return `lessOrEqual(${left}, ${right})`;
    case '>':
      return `greater(${left}, ${right})`;
    case '>=':
      return `greaterOrEqual(${left}, ${right})`;
    default: {
      const verb = ARITHMETIC[node.operator];
      if (verb === undefined) throw new UnsupportedLuaError(`the operator ${node.operator}`);
      return `${verb}(${left}, ${right})`;
    }
  }
}
