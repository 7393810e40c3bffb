/** Which declaration each name of a Lua text means, by the rules of Lua 5.1. */
import luaparse from 'luaparse';

/**
 * @typedef {object} Use of a name
 * @property {string} name
 * @property {number} at where it stands in the text
 * @property {boolean} isWrite it is assigned here
 * @property {number} [declaredAt] where the local stands that it means; a name without one is free
 */

/** Each use of a name in the text, in its order. @param {string} text @returns {Use[]} */
export function usesOf(text) {
  const uses = [];
  walk(luaparse.parse(text, { luaVersion: '5.1', ranges: true, comments: false }), new Scope(), uses);
  return uses;
}

class Scope {
  #declared = new Map();
  #outer;

  constructor(outer) {
    this.#outer = outer;
  }

  declare({ name, range }) {
    this.#declared.set(name, range[0]);
  }

  placeOf(name) {
    return this.#declared.get(name) ?? this.#outer?.placeOf(name);
  }
}

/** How the nodes are walked that declare names, open a scope, or hold an identifier that is no name. */
const WALKS = {
  Identifier: ({ name, range }, scope, uses) =>
    uses.push({ name, at: range[0], isWrite: false, declaredAt: scope.placeOf(name) }),
  MemberExpression: ({ base }, scope, uses) => walk(base, scope, uses),
  TableKeyString: ({ value }, scope, uses) => walk(value, scope, uses),
  LocalStatement({ variables, init }, scope, uses) {
    walk(init, scope, uses);
    for (const variable of variables) scope.declare(variable);
  },
  AssignmentStatement({ variables, init }, scope, uses) {
    walk(init, scope, uses);
    for (const variable of variables) assign(variable, scope, uses);
  },
  FunctionDeclaration({ identifier, isLocal, parameters, body }, scope, uses) {
    if (isLocal) scope.declare(identifier);
    else if (identifier) assign(identifier, scope, uses);
    block(
      body,
      scope,
      uses,
      parameters.filter(({ type }) => type === 'Identifier'),
    );
  },
  ForNumericStatement({ variable, start, end, step, body }, scope, uses) {
    walk([start, end, step], scope, uses);
    block(body, scope, uses, [variable]);
  },
  ForGenericStatement({ variables, iterators, body }, scope, uses) {
    walk(iterators, scope, uses);
    block(body, scope, uses, variables);
  },
  WhileStatement({ condition, body }, scope, uses) {
    walk(condition, scope, uses);
    block(body, scope, uses);
  },
  IfClause: conditional,
  ElseifClause: conditional,
  ElseClause: ({ body }, scope, uses) => block(body, scope, uses),
  DoStatement: ({ body }, scope, uses) => block(body, scope, uses),
  // The condition sees the locals of the body.
  RepeatStatement: ({ body, condition }, scope, uses) => block([...body, condition], scope, uses),
};

function conditional({ condition, body }, scope, uses) {
  walk(condition, scope, uses);
  block(body, scope, uses);
}

function block(body, scope, uses, declared = []) {
  const inner = new Scope(scope);
  for (const identifier of declared) inner.declare(identifier);
  walk(body, inner, uses);
}

function assign(variable, scope, uses) {
  walk(variable, scope, uses);
  if (variable.type === 'Identifier') uses.at(-1).isWrite = true;
}

function walk(node, scope, uses) {
  if (Array.isArray(node)) for (const one of node) walk(one, scope, uses);
  else if (typeof node?.type === 'string') (WALKS[node.type] ?? walkFields)(node, scope, uses);
}

function walkFields(node, scope, uses) {
  walk(Object.values(node), scope, uses);
}
