import ts from 'typescript';

/** A small change of a source that a good spec should notice. */
export interface Mutant {
  /** Counted from 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The whole source with the change. */
  readonly source: string;
}

const OPERATORS: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
  [ts.SyntaxKind.SlashToken]: '*',
  [ts.SyntaxKind.PercentToken]: '*',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.QuestionQuestionToken]: '&&',
  [ts.SyntaxKind.PlusEqualsToken]: '-=',
  [ts.SyntaxKind.MinusEqualsToken]: '+=',
};
const CALLS: Readonly<Record<string, string>> = { min: 'max', max: 'min', some: 'every', every: 'some' };

/** All mutants of a source, in the order of its text: a changed operator, a removed negation, an inverted boolean. */
export function findMutants(fileName: string, source: string): Mutant[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.ES2023, true);
  const mutants: Mutant[] = [];
  const replace = (node: ts.Node, after: string): void => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    const { line } = file.getLineAndCharacterOfPosition(start);
    const changed = source.slice(0, start) + after + source.slice(end);
    mutants.push({ line: line + 1, before: source.slice(start, end), after, source: changed });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isBinaryExpression(node) && !isText(node)) {
      const turned = OPERATORS[node.operatorToken.kind];
      if (turned !== undefined) replace(node.operatorToken, turned);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      replace(node, node.operand.getText(file));
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true');
    else if (ts.isConditionalExpression(node)) replace(node.condition, `!(${node.condition.getText(file)})`);
    else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const turned = CALLS[node.expression.name.text];
      if (turned !== undefined) replace(node.expression.name, turned);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
}

/** Whether `+` joins texts: their content is not under test. */
function isText(node: ts.BinaryExpression): boolean {
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return false;
  return [node.left, node.right].some(
    (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side) || isJoined(side),
  );
}

function isJoined(side: ts.Expression): boolean {
  const inner = ts.isParenthesizedExpression(side) ? side.expression : side;
  return ts.isBinaryExpression(inner) && isText(inner);
}
