### The page about published comparisons: a screen an article.

article-question-word = Question.

article-answer-word = Our answer.

article-order-word = Did the order come back?

article-steps-word = What turned it, the largest first:

article-claims-word = Was the author right?

article-not-judged-word = Not judged.

# $title (text)
article-original = "{ $title }"

# $original (message?) the title as it was published, where it is in another language
# $site (described)
# $date (described)
article-source =
    { $original ->
        [none] {""}
       *[other] { $original },{" "}
    }{ $site }, { $date }

# $facts (series)
article-measured-on = Measured on: { $facts }.

# $all (message) the cases so far
# $next (message)
article-case-more = { $all }; { $next }

# $headline (message)
# $because (message?)
# $unless (message?)
article-answer =
    { $headline }{ $because ->
        [none] {""}
       *[other] {" "}Because: { $because }.
    }{ $unless ->
        [none] {""}
       *[other] {" "}Unless: { $unless }.
    }

# $claims (count)
# $counted (list)
# $not_judged (count)
article-counts =
    Of { $claims } conclusions { $counted }{ $not_judged ->
        [0] .
        [one] ; 1 is not judged.
       *[other] ; { $not_judged } are not judged.
    }

# $columns (count) published columns that were measured by the source's method
# $right (count)
# $wrong (count)
# $open (count)
article-order =
    { $columns ->
        [one] 1 published column was
       *[other] { $columns } published columns were
    } measured by the source's own method. Came back: { $right }. Did not: { $wrong }. Undecided: { $open }.

# $study (text)
article-order-not-measured = Not measured yet: 'kurabe run { $study } --as-published' tells it.

# $finding (message?) the figure that decides
# $more (count) further figures that decide
# $stand_ins (message?)
article-why =
    { $finding ->
        [none] {""}
       *[other] { $finding }
    }{ $more ->
        [0] {""}
        [one] {" "}(and 1 more)
       *[other] {" "}(and { $more } more)
    }{ $stand_ins ->
        [none] {""}
       *[other] ; { $stand_ins }
    }

# $says (message)
# $why (message)
article-not-judged = { $says } ({ $why }.)

article-figures =
    Each figure names its candidates: the author's programs, or those that stand in for them. Ratios are of rates where
    no other figure is named.

## The HTML page.

article-tables = All findings, the published tables beside ours, and the effects of pitfalls

article-figures-link = A figure leads to all findings about its conclusion.
