### 列挙と名前。

name-quoted = 「{ $name }」

list-and-more = { $all }、{ $next }

list-and-last = { $all }、{ $last }

list-or-more = { $all }、{ $next }

list-or-last = { $all }または{ $last }

series-more = { $all }、{ $next }

clauses-more = { $all }。{ $next }

names-alone = { $names }

text-quoted = { $text }

did-you-mean = 「{ $name }」ではありませんか
