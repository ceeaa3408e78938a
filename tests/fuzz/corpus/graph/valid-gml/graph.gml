graph [
  node [
    id 1
    label "a"
    club 0
  ]
  node [
    id 2
    label "b"
    club 1
  ]
  edge [
    source 1
    target 2
    value 2.5
  ]
]
