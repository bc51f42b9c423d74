// The GraphQL interface: queries are validated by GitHub's own schema, and answers are given through it, so that each of them is of the right
// type. Only fields that gatekeep asks for have an answer.

import { schema as text } from "@octokit/graphql-schema";
import { GraphQLError, TypeInfo, buildSchema, execute, getNamedType, parse, validate, visit, visitWithTypeInfo } from "graphql";
import { VIEWER } from "./repository.mjs";

const schema = buildSchema(text.idl, { assumeValidSDL: true }); // GitHub's text has a field twice
/** Nodes that one query may ask for. */
const MOST_NODES = 500_000;

/** Answers one query: `{ body, cost }`. */
export async function answer(repository, { query, variables = {}, ...more }) {
  if (Object.keys(more).length > 0) repository.violations.push(`unknown field ${Object.keys(more)[0]} beside a query`);
  const errors = [];
  let cost = { nodes: 0, points: 0 };
  try {
    const document = parse(query);
    errors.push(...validate(schema, document));
    if (errors.length === 0) {
      cost = measured(document, variables);
      const rootValue = { repository: (asked) => (asked.name === repository.name ? shown(repository) : null) };
      const result = await execute({ schema, document, rootValue, variableValues: variables });
      // a resolver that breaks is a fault of the fake, and must not look like one of GitHub's answers
      for (const error of result.errors ?? []) repository.violations.push(`the fake can't answer: ${error.message} at ${error.path}`);
      return { body: result, cost };
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    errors.push(error);
  }
  for (const error of errors) repository.violations.push(`query: ${error.message}`);
  return { body: { errors: errors.map((error) => ({ message: error.message, type: "INVALID" })) }, cost };
}

/** What GitHub would count. It refuses a connection without `first` or `last`, or with more than 100. */
function measured(document, variables) {
  const types = new TypeInfo(schema);
  const factors = [1];
  let [nodes, requests] = [0, 1];
  visit(document, visitWithTypeInfo(types, {
    Field: {
      enter(field) {
        const outer = factors.at(-1);
        let inner = outer;
        if (getNamedType(types.getType())?.name.endsWith("Connection")) {
          const bound = field.arguments.find((one) => ["first", "last"].includes(one.name.value))?.value;
          const size = Number(bound?.kind === "Variable" ? variables[bound.name.value] : bound?.value);
          if (!(size >= 1 && size <= 100)) throw new GraphQLError(`\`${field.name.value}\` needs \`first\` or \`last\` between 1 and 100`);
          requests += outer;
          inner = outer * size;
          nodes += inner;
        }
        factors.push(inner);
      },
      leave() { factors.pop(); },
    },
  }));
  if (nodes > MOST_NODES) throw new GraphQLError(`${nodes} nodes in one query`);
  return { nodes, points: Math.max(1, Math.round(requests / 100)) };
}

const actor = (login, isBot = false) => login && { __typename: isBot ? "Bot" : "User", login };

/** A part of a list, as a connection gives it; cursors are places in the list. */
function connection(all, { first, last, after, before }) {
  let [start, end] = [after ? Number(after) : 0, before ? Number(before) : all.length];
  if (first !== undefined && first !== null) end = Math.min(end, start + first);
  if (last !== undefined && last !== null) start = Math.max(start, end - last);
  const pageInfo = { hasNextPage: end < all.length, hasPreviousPage: start > 0, startCursor: String(start), endCursor: String(end) };
  return { totalCount: all.length, pageInfo, nodes: all.slice(start, end) };
}

function shown(repository) {
  return {
    pullRequests: (asked) => connection(
      repository.pulls.filter((pull) => pull.isOpen).sort((a, b) => a.number - b.number).map((pull) => shownPull(repository, pull)), asked,
    ),
    pullRequest: ({ number }) => {
      const pull = repository.pull(number);
      return pull ? shownPull(repository, pull) : null;
    },
  };
}

function shownPull(repository, pull) {
  const labelled = pull.labelled.map((one) => ({
    __typename: "LabeledEvent", createdAt: one.at, actor: actor(one.by, one.isBot), label: { name: one.name },
  }));
  const commit = { oid: pull.head, checkSuites: (asked) => connection(suites(repository, pull, asked.filterBy ?? {}), asked) };
  return {
    number: pull.number, isDraft: pull.isDraft, isCrossRepository: pull.isFork, updatedAt: pull.updatedAt, headRefName: pull.branch,
    headRefOid: pull.head, baseRefName: pull.target, author: actor(pull.author),
    labels: (asked) => connection(pull.labels.map((name) => ({ name })), asked),
    timelineItems: (asked) => connection(asked.itemTypes?.includes("LABELED_EVENT") ? labelled : [], asked),
    commits: (asked) => connection([{ commit }], asked),
    latestReviews: (asked) => connection(pull.reviews.map(shownReview), asked),
    comments: (asked) => connection(repository.comments.filter((one) => one.number === pull.number).map(shownNote), asked),
  };
}

/** The suites of the head. What a workflow's token writes hangs on the first, beside the jobs of the workflow. */
function suites(repository, pull, filter) {
  const runs = (wanted) => {
    const all = wanted.checkType === "LATEST" ? repository.latest(pull.head, wanted.checkName) : repository.checks(pull.head, wanted.checkName);
    return all.map((run) => ({ databaseId: run.id, externalId: run.external_id, name: run.name, status: run.status.toUpperCase() }));
  };
  const of = (suite, at) => ({
    createdAt: suite.createdAt, branch: suite.branch && { name: suite.branch },
    checkRuns: (asked) => connection(at === 0 ? runs(asked.filterBy ?? {}) : [], asked),
  });
  const here = pull.suites.filter((suite) => suite.head === pull.head);
  const has = (_, at) => !filter.checkName || (at === 0 && repository.checks(pull.head, filter.checkName).length > 0);
  return here.map(of).filter(has);
}

const shownReview = (review) => ({
  state: review.state ?? "APPROVED", author: actor(review.by), commit: { oid: review.commit },
  onBehalfOf: (asked) => connection((review.teams ?? []).map((combinedSlug) => ({ combinedSlug })), asked),
});

const shownNote = (comment) => ({
  databaseId: comment.id, viewerDidAuthor: comment.by === VIEWER, isMinimized: comment.isMinimized, body: comment.body,
});
